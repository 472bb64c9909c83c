// A gRPC server on the official library, over plain TCP (h2c). The method called determines how the call ends.
import grpc from '@grpc/grpc-js';

const { status } = grpc;
const raw = (bytes) => bytes;
const server = new grpc.Server();
const on = (name, kind, handler) => server.register(`/tea.Tea/${name}`, handler, raw, raw, kind);
let calls = 0;

on('Pour', 'unary', (call, done) => done(null, call.request));
// Without a message before it, the status is in the response headers, and there are no trailers.
on('Refuse', 'unary', (_, done) => done({ code: status.NOT_FOUND, details: 'no tea left, 100 % gone: désolé' }));
// After a message, the status is in the trailers.
on('Spill', 'serverStream', (call) => {
  call.write(call.request);
  call.emit('error', { code: status.DATA_LOSS, details: 'spilled' });
});
on('EveryFourth', 'unary', (call, done) => {
  calls += 1;
  if (calls % 4 === 0) done({ code: status.UNAVAILABLE, details: 'busy' });
  else done(null, call.request);
});

server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  console.log(`listening on port:${port}`);
});
