import { listLength } from '../../model/derivations.ts';
import type { SqlType } from '../../model/field-kind.ts';
import {
  type Attribute,
  type Dimension,
  derived,
  reference,
  rowsOf,
  table,
  values,
} from '../../model/table.ts';

/** An attribute of a computer: its value comes from the newest snapshot of the computer. */
const seen = (column: string, field: string, type: SqlType = 'text'): Attribute => ({
  column,
  fields: [field],
  type,
  whenDuplicate: 'last',
  follows: 'seen',
});

const computer: Dimension = {
  table: 'dim_computer',
  key: 'computer_key',
  naturalKey: ['computer_id'],
  perOrganization: true,
  attributes: [
    seen('computer_name', 'name'),
    seen('provider_type', 'providerType'),
    seen('created_at', 'createdAt', 'timestamptz'),
    seen('source_kind', 'computerSource.kind'),
    seen('template_id', 'computerSource.templateId'),
    seen('owner_principal_kind', 'ownerPrincipalKind'),
    seen('owner_id', 'ownerId'),
  ],
};

/** Grain: organization × snapshot × computer × provisioning step. */
const factComputerStepDaily = table('fact_computer_step_daily', {
  keys: values({ step_id: 'id' }),
  columns: values({
    step_name: 'name',
    status: 'status',
    error: 'error',
    started_at: 'startedAt',
    completed_at: 'completedAt',
    install_session_id: 'installSessionId',
  }),
});

/** Grain: organization × snapshot × computer × directory. Without figures: a row says that a repository is cloned there. */
const bridgeComputerRepositoryDaily = table('bridge_computer_repository_daily', {
  keys: values({ directory: 'value' }),
});

/** Grain: organization × snapshot × computer. */
export const factComputerDaily = table('fact_computer_daily', {
  keys: [reference(computer, ['id'])],
  columns: [
    ...values({ status: 'status', host_id: 'hostId', hostname: 'hostname', remote_user: 'remoteUser' }),
    derived('repository_count', 'bigint', ['clonedRepoDirectories'], listLength),
  ],
  below: [
    rowsOf('provisioningSteps', factComputerStepDaily, { mayBeAbsent: true }),
    rowsOf('clonedRepoDirectories', bridgeComputerRepositoryDaily, { mayBeAbsent: true }),
  ],
});
