/** `GET {app_url}/api/organization/maturity-level-reports` (platform-api.md §4.3). */
import { z } from 'zod';
import { noBody } from '../model/platform/call.ts';
import { type ReadinessReport, readinessReports } from '../sources/readiness/schema.ts';
import { accessToOthers, refusalsOfOthers } from './access.ts';
import { answer } from './answer.ts';
import type { OpenPoints } from './open-points.ts';
import { type Operation, operation } from './operation.ts';
import { wholeText } from './page-size.ts';
import { itemsAfter, type Service } from './service.ts';

/** The status of a bad request, which is documented for this resource. */
const badRequest = 400;

const notPositive = ({ input }: { input?: unknown }) =>
  `limit must be a positive integer, got ${JSON.stringify(String(input))}`;

function parametersOf(points: OpenPoints) {
  const positive = z.int({ error: notPositive }).min(1, { error: notPositive });
  const most = points['reports-at-most'];
  const size =
    points['reports-beyond'] === 'refuse'
      ? positive.max(most, { error: ({ input }) => `limit must be at most ${most}, got ${input}` })
      : positive;
  return z.object({
    repoId: z.string().optional(),
    limit: wholeText(notPositive).pipe(size).optional(),
    startAfter: z.string().optional(),
  });
}

export function readinessOperations(service: Service): Operation[] {
  const { points, reports } = service;
  return [
    operation(
      {
        id: 'list-readiness-reports',
        section: '§4.3, at {app_url}',
        summary: 'Lists readiness reports',
        method: 'GET',
        path: '/api/organization/maturity-level-reports',
        pathParameters: z.object({}),
        query: parametersOf(points),
        body: noBody,
        success: { name: 'ReadinessReports', schema: readinessReports, status: 200 },
        refusals: refusalsOfOthers(points, badRequest),
        badRequest,
        refusesUnknown: points['unknown-names'] === 'refuse',
        isAnalytics: false,
        links: {
          afterTheFirst: {
            operationId: 'list-readiness-reports',
            parameters: { startAfter: '$response.body#/reports/0/reportId' },
          },
        },
      },
      accessToOthers(service),
      ({ query: { repoId, limit = points['reports-page'], startAfter } }) => {
        const listed = reports().filter((one) => repoId === undefined || one.repoId === repoId);
        const inOrder = ordered(
          listed.map(({ report }) => report),
          points['reports-order'],
        );
        const placeOf = (id: string) => inOrder.findIndex(({ reportId }) => reportId === id);
        const rest = itemsAfter(inOrder, startAfter, placeOf, service, badRequest);
        return answer(200, { reports: rest.slice(0, Math.min(limit, points['reports-at-most'])) });
      },
    ),
  ];
}

/** The reports in the chosen order; for `mixed` they are sorted by their ids, which are random. */
function ordered(
  reports: readonly ReadinessReport[],
  order: OpenPoints['reports-order'],
): readonly ReadinessReport[] {
  const mixed = reports.toSorted((a, b) => (a.reportId < b.reportId ? -1 : 1));
  if (order === 'mixed') return mixed;
  const oldest = mixed.sort((a, b) => a.createdAt - b.createdAt);
  return order === 'oldest' ? oldest : oldest.reverse();
}
