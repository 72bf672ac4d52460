/* The hostile program in the jail, one way at a time. */
#ifndef CMPD_TESTS_JAIL_JAILED_H
#define CMPD_TESTS_JAIL_JAILED_H

#include "gpu-runner/jail/jail.h"

struct jailed {
    struct cmpd_jail_request q; /* filled by jailed_init; change what the test is about */
    struct cmpd_jail_report report;
    struct cmpd_proc_result result;
    const char *argv[4];
    const char *readable[4];
    char *program; /* owned; where the jail's user may read it */
    char *work;    /* owned; COMPILE */
    char *sources; /* owned; COMPILE; holds file.cu and secret, mode 0700 */
    const char *files[1];
};

/* Skips the whole program (status 77, with a message) where no jail can be made. */
void jailed_need(void);

void jailed_init(struct jailed *j, enum cmpd_jail_profile profile, const char *way,
                 const char *argument);
/* Runs it; asserts that it could be started. */
void jailed_run(struct jailed *j);
void jailed_clear(struct jailed *j);

/* Does the report name it: a deed whose sentence has `part`? */
bool jailed_deed(const struct jailed *j, const char *part);
bool jailed_said(const struct jailed *j, const char *text); /* on its stdout */

/* Processes of the hostile program that are there: own pid namespace's, by command line. */
size_t jailed_alive(const char *program);
/* Waits up to a second for that to be 0. */
bool jailed_gone(const char *program);
size_t jailed_descriptors(void); /* open in this process */

#endif
