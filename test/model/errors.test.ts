import { describe, expect, it } from 'vitest';
import { explain, RequestFailedError, WarehouseError } from '../../src/model/errors.ts';

describe('the explanation of an error', () => {
  it('names the causes from the outside in', () => {
    const cause = new RequestFailedError('GET /users failed', { cause: new Error('socket hang up') });
    expect(explain(new WarehouseError('the slice failed', { cause }))).toBe(
      'the slice failed: GET /users failed: socket hang up',
    );
  });

  it('says nothing twice', () => {
    const error = new Error('reading failed: no space', { cause: new Error('no space') });
    expect(explain(error)).toBe('reading failed: no space');
  });

  it('names the parts of an error that has no message of its own', () => {
    const parts = [
      new Error('connect ECONNREFUSED ::1:5432'),
      new Error('connect ECONNREFUSED 127.0.0.1:5432'),
    ];
    const error = new WarehouseError('no database', { cause: new AggregateError(parts) });
    expect(explain(error)).toBe(
      'no database: connect ECONNREFUSED ::1:5432, connect ECONNREFUSED 127.0.0.1:5432',
    );
  });

  it('ends when errors cause each other', () => {
    const error = new Error('first');
    error.cause = new Error('second', { cause: error });
    expect(explain(error)).toBe('first: second');
  });

  it.each([
    ['text', 'text'],
    [undefined, 'unknown error'],
    [null, 'unknown error'],
    [new Error(''), 'unknown error'],
    [404, '404'],
  ])('takes whatever was thrown: %o', (thrown, expected) => {
    expect(explain(thrown)).toBe(expected);
  });

  it('carries the kind of the error as its name', () => {
    expect(new WarehouseError('x').name).toBe('WarehouseError');
  });
});
