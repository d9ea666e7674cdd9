/** The official definitions of OTLP, in the last package that has them. */
import './installed.ts';
import { createRequire } from 'node:module';

/** A message type, as protobufjs makes it of its definition. */
interface MessageType {
  fromObject(given: object): object;
  encode(message: object): { finish(): Uint8Array };
  decode(bytes: Uint8Array): object;
  toObject(message: object, options: object): object;
}

const definitions: {
  readonly opentelemetry: {
    readonly proto: {
      readonly collector: {
        readonly trace: { readonly v1: { readonly ExportTraceServiceRequest: MessageType } };
      };
    };
  };
} = createRequire(import.meta.url)('otlp-definitions/build/src/generated/root.js');

export const { ExportTraceServiceRequest } = definitions.opentelemetry.proto.collector.trace.v1;
