-- What every role of PostgreSQL has by default and no question needs (docs/deployment.md). Put your database for `sales`,
-- and repeat the lines with `SCHEMA public` for every other schema.
REVOKE CREATE ON SCHEMA public FROM PUBLIC;      -- the default since PostgreSQL 15
REVOKE TEMPORARY ON DATABASE sales FROM PUBLIC;
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC;
DO $$
DECLARE
  needless regprocedure;
BEGIN
  FOR needless IN
    SELECT oid FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace AND proname IN (
      'pg_sleep', 'pg_sleep_for', 'pg_sleep_until', 'pg_advisory_lock', 'pg_advisory_lock_shared',
      'pg_advisory_xact_lock', 'pg_advisory_xact_lock_shared', 'pg_try_advisory_lock',
      'pg_try_advisory_lock_shared', 'pg_try_advisory_xact_lock', 'pg_try_advisory_xact_lock_shared',
      'pg_cancel_backend', 'pg_terminate_backend', 'pg_notify', 'pg_export_snapshot',
      'pg_logical_emit_message', 'ts_stat', 'ts_rewrite', 'query_to_xml', 'query_to_xmlschema',
      'query_to_xml_and_xmlschema', 'cursor_to_xml', 'cursor_to_xmlschema', 'table_to_xml',
      'table_to_xmlschema', 'table_to_xml_and_xmlschema', 'schema_to_xml', 'schema_to_xmlschema',
      'schema_to_xml_and_xmlschema', 'database_to_xml', 'database_to_xmlschema',
      'database_to_xml_and_xmlschema', 'lo_creat', 'lo_create', 'lo_from_bytea', 'lo_get', 'lo_lseek',
      'lo_lseek64', 'lo_open', 'lo_put', 'lo_tell', 'lo_tell64', 'lo_truncate', 'lo_truncate64',
      'lo_unlink', 'loread', 'lowrite')
  LOOP
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', needless);
  END LOOP;
END $$;
