/* Recomputes the event chain from the file, independently of the code that writes it. */
#ifndef DIRECTORY_VERIFY_H
#define DIRECTORY_VERIFY_H
#include "base/conf.h"

/* Child mode of rowcalld: prints {"ok","count","head","first_bad"} on standard output; exit code 0 when the check ran, whatever it found. */
int verify_events_main(const struct conf *conf);

#endif
