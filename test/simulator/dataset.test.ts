import { expect, test } from 'vitest';
import { day } from '../../src/model/day.ts';
import { generatedDataset, OverridableDataset } from '../../src/simulator/dataset.ts';
import { createGenerator } from '../../src/simulator/generate.ts';

const someDay = day('2026-02-02');

function datasetOfTwenty(): OverridableDataset {
  const generator = createGenerator({ seed: 4, users: 20, from: day('2026-01-14') });
  return new OverridableDataset(generatedDataset(generator));
}

test('an override replaces one day of one endpoint until it is taken back', () => {
  const dataset = datasetOfTwenty();
  const generated = dataset.rows('tokens', someDay);
  dataset.overrideRows('tokens', someDay, []);
  expect(dataset.rows('tokens', someDay)).toEqual([]);
  expect(dataset.groupedRows('tokens', someDay)).toEqual([]);
  expect(dataset.rows('tools', someDay)).toHaveLength(1);
  expect(dataset.rows('tokens', day('2026-02-03'))).toHaveLength(1);
  dataset.overrideRows('tokens', someDay, undefined);
  expect(dataset.rows('tokens', someDay)).toEqual(generated);
});

test('every change of the rows changes the version', () => {
  const dataset = datasetOfTwenty();
  const versions = [dataset.version];
  dataset.overrideRows('users', someDay, []);
  versions.push(dataset.version);
  dataset.overrideRows('users', someDay, undefined);
  versions.push(dataset.version);
  expect(new Set(versions).size).toBe(3);
});

test('malformed rows are served as they are', () => {
  const dataset = new OverridableDataset();
  const rows = [null, 5, { user_id: 12 }, {}];
  dataset.overrideRows('users', someDay, rows);
  expect(Array.from(dataset.usersAfter(someDay, undefined))).toEqual([null, 5, {}, { user_id: 12 }]);
  dataset.overrideRows('tokens', someDay, [null, { by_model: 'none' }]);
  expect(dataset.groupedRows('tokens', someDay)).toEqual([]);
});

test('overridden users are read after a cursor in the order of their ids', () => {
  const dataset = new OverridableDataset();
  dataset.overrideRows('users', someDay, [{ user_id: 'c' }, { user_id: 'a' }, { user_id: 'b' }]);
  expect(Array.from(dataset.usersAfter(someDay, 'a'))).toEqual([{ user_id: 'b' }, { user_id: 'c' }]);
});

test('an endpoint that does not exist is a mistake of the caller', () => {
  const dataset = datasetOfTwenty();
  expect(() => dataset.overrideRows('token', someDay, [])).toThrow('expected one of tokens, tools');
  expect(() => dataset.rows('token', someDay)).toThrow('got "token"');
  expect(() => dataset.groupedRows('productivity', someDay)).toThrow('with group_by');
});
