/* Self-signed certificates (X.509 v3, RFC 5280); see certificate.h. Not a certificate authority. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include "ctl/certificate.h"

enum { CERTIFICATE_DAYS = 825 };

static const struct { int nid; const char *value; } extensions[] = {
	{ NID_basic_constraints, "critical,CA:TRUE,pathlen:0" },
	{ NID_key_usage, "critical,digitalSignature,keyCertSign" },
	{ NID_ext_key_usage, "serverAuth" },
	{ NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1,IP:::1" },
};

static int add_extensions(X509 *cert)
{
	for (size_t i = 0; i < sizeof(extensions) / sizeof(extensions[0]); i++) {
		X509_EXTENSION *e = X509V3_EXT_conf_nid(NULL, NULL, extensions[i].nid, extensions[i].value);
		int done = e != NULL && X509_add_ext(cert, e, -1);

		X509_EXTENSION_free(e);
		if (!done)
			return -1;
	}
	return 0;
}

static X509 *sign(EVP_PKEY *key)
{
	X509 *cert = X509_new();
	unsigned char serial[16];
	BIGNUM *number = NULL;
	X509_NAME *name;

	if (cert == NULL || RAND_bytes(serial, sizeof(serial)) != 1)
		goto fail;
	serial[0] &= 0x7f;      /* a serial number is positive */
	number = BN_bin2bn(serial, sizeof(serial), NULL);
	name = X509_get_subject_name(cert);
	if (number == NULL || !X509_set_version(cert, 2) || !BN_to_ASN1_INTEGER(number, X509_get_serialNumber(cert)) ||
	    !X509_gmtime_adj(X509_getm_notBefore(cert), -3600) || !X509_time_adj_ex(X509_getm_notAfter(cert), CERTIFICATE_DAYS, 0, NULL) ||
	    !X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"localhost", -1, -1, 0) ||
	    !X509_set_issuer_name(cert, name) || !X509_set_pubkey(cert, key) || add_extensions(cert) < 0 || !X509_sign(cert, key, EVP_sha256()))
		goto fail;
	BN_free(number);
	return cert;
fail:
	BN_free(number);
	X509_free(cert);
	return NULL;
}

static FILE *create(const char *path, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

	if (f == NULL && fd >= 0)
		close(fd);
	return f;
}

int certificate_make(const char *key_path, const char *cert_path, struct problem *why)
{
	EVP_PKEY *key = EVP_EC_gen("P-256");
	X509 *cert = key ? sign(key) : NULL;
	FILE *kf = NULL, *cf = NULL;
	int rc = -1;

	if (cert == NULL) {
		problem_set(why, 500, "certificate");
		problem_detail(why, "a certificate for localhost could not be made");
		goto out;
	}
	kf = create(key_path, 0600);
	cf = create(cert_path, 0644);
	if (kf && cf && PEM_write_PrivateKey(kf, key, NULL, NULL, 0, NULL, NULL) && PEM_write_X509(cf, cert) && fflush(kf) == 0 && fflush(cf) == 0)
		rc = 0;
	else {
		problem_set(why, 500, "certificate");
		problem_detail(why, "%s or %s cannot be written: %m", key_path, cert_path);
	}
out:
	if (kf)
		fclose(kf);
	if (cf)
		fclose(cf);
	X509_free(cert);
	EVP_PKEY_free(key);
	return rc;
}
