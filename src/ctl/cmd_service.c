/* Commands about the service itself. */
#include "ctl/api.h"
#include "ctl/out.h"

int ctl_status(const struct ctl_args *args)
{
	struct api_answer answer;
	int code = CTL_OK;
	struct api *a = api_open(args, &code);

	if (a)
		code = api_get(a, "/api/status", &answer);
	if (a && code == CTL_OK)
		out_json(answer.json);
	api_close(a);
	return code;
}
