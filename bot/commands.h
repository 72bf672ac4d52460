/* The commands of `cmpd`, one file each. argv[0] is the command's name; each returns the exit status. */
#ifndef CMPD_BOT_COMMANDS_H
#define CMPD_BOT_COMMANDS_H

int cmpd_cmd_check(int argc, char **argv);
int cmpd_cmd_review(int argc, char **argv); /* bot/review/ */
int cmpd_cmd_rules(int argc, char **argv);
int cmpd_cmd_explain(int argc, char **argv);
int cmpd_cmd_doctor(int argc, char **argv);
int cmpd_cmd_replay(int argc, char **argv);
int cmpd_cmd_run(int argc, char **argv);
int cmpd_cmd_init(int argc, char **argv);

#endif
