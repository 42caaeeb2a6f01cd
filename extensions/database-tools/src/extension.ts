import { defineExtension } from "swarmbase/extension";

/** Commands for the schema of an app. Each is imported when it runs, so that the service does not load it. */
export const extension = defineExtension({
  name: "database-tools",
  summary: "commands for the schema of an app: sql, db push, db diff, db reset, gen types",
  docs: new URL("../README.md", import.meta.url),
  commands: [
    {
      name: "sql",
      summary: "run SQL: a shell, a file, a statement",
      help: `
Usage: swarmbase sql
       swarmbase sql <file> [--single-transaction] [--expanded]
       swarmbase sql -c "<statements>" [--single-transaction] [--expanded]

Connects as the owner of the schema, and needs no psql. Without arguments it is a shell, or runs what comes on the standard
input. The service may be running; a stopped embedded database is started for the duration.

-c, --command             runs these statements.
-1, --single-transaction  all statements, or none. Without it each is committed on its own.
-x, --expanded            shows each value on a line of its own.

The first error ends a file, with its line and column and the exit code 1; statements before it stay. In the shell, \\? lists
the commands that begin with a backslash, such as \\d, \\dt, \\i and \\q. Ctrl-C cancels a statement. The lines of the shell are
kept in ~/.swarmbase_sql_history.`,
      run: async (context) => (await import("./shell/run-sql-command.ts")).runSqlCommand(context),
    },
    {
      name: "db",
      summary: "apply, write and reset the migrations of an app, and grant privileges",
      help: `
Usage: swarmbase db push [--dry-run] [--dir <folder>]
       swarmbase db diff [--name <words> | --check] [--dir <folder>]
       swarmbase db reset [--seed | --seed-file <file>] [--yes] [--shared] [--dir <folder>]
       swarmbase db grant <schema> [--without-rls]

push   applies the migrations of the folder that the database does not have, each in one transaction, in the order of their
       numbers: 0001_notes.sql. The table app_migrations.applied records them with a hash. A file that was changed or
       removed after it was applied is an error. Commands that run at the same time wait for each other.
diff   prints what the database has and the migrations do not, as SQL. It applies the migrations to a scratch database on
       the same server, compares the two, and verifies its statements there. It covers schemas, extensions, types
       (enumerations, domains, composite types, ranges), sequences, tables, columns, constraints, indexes, views, functions,
       triggers, policies, row-level security, grants, members of publications, and comments. What it does not cover it
       names. A renamed object counts as dropped and created.
reset  drops the objects of the app with their rows, applies all migrations again, and runs seed.sql. Tables and rows of
       Swarmbase stay. A migration that fails does so in a scratch database, before anything is dropped.

grant  gives anon, authenticated and service_role all privileges on the tables, views, sequences and functions of a schema,
       and on those that are created there later, as Supabase does: row-level security alone then decides about rows. In
       public, tables of Swarmbase are left out, and so are later ones: run it again after a migration.

--dir        the folder of the migrations; default: migrations.
--dry-run    prints what would be applied, and changes nothing.
--name       writes the difference as the next migration, and records it as applied, because the database has it.
--check      exits with 1 when there is a difference, for CI.
--seed       runs seed.sql after the migrations, in one transaction. --seed-file names another file.
--yes        does not ask. Without a terminal it is required.
--shared     also resets a database of DATABASE_URL, which others may use.
--without-rls  also grants where a table has no row-level security, which everybody can then read and change.

diff and reset create a database, so with DATABASE_URL its role, or that of DATABASE_ADMIN_URL, needs the right CREATEDB.`,
      run: async (context) => (await import("./db/run-db-command.ts")).runDbCommand(context),
    },
    {
      name: "gen",
      summary: "write the types of the database for TypeScript",
      help: `
Usage: swarmbase gen types [--out <file>] [--schema <name>]...

Prints the type Database of @swarmbase/sdk with the tables, views, functions and enumerations of the app, for
createClient<Database>() of supabase-js. Columns of composite types are Json.

--out     writes the file instead.
--schema  the schemas, each with its own option; default: those of DB_SCHEMAS.`,
      run: async (context) => (await import("./types/run-gen-command.ts")).runGenCommand(context),
    },
  ],
});
