// A gRPC server on the official library: what it is asked for says how the call ends. It serves in the clear (h2c).
import grpc from '@grpc/grpc-js';

const { status } = grpc;
const raw = (bytes) => bytes;
const server = new grpc.Server();
const on = (name, kind, handler) => server.register(`/tea.Tea/${name}`, handler, raw, raw, kind);
let calls = 0;

on('Pour', 'unary', (call, done) => done(null, call.request));
// Without a message before it, a status stands in the head of the response: there are no trailers.
on('Refuse', 'unary', (_, done) => done({ code: status.NOT_FOUND, details: 'no tea left, 100 % gone: désolé' }));
// With one before it, it stands in the trailers.
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
