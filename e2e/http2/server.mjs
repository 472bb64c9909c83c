// Node's own HTTP/2 server, which counts the requests that it receives. With a key and a certificate (PEM, in `KEY` and
// `CERT`) it uses TLS. `STREAMS` is the maximum number of concurrent streams per connection. With `ONLY_HTTP1` it uses
// TLS without HTTP/2. With `SOCKETS` it echoes the messages of WebSockets, which need HTTP/1.1, and of Socket.IO.
import http2 from 'node:http2';
import https from 'node:https';

const { KEY, CERT, ONLY_HTTP1, SOCKETS, STREAMS = '100' } = process.env;
const settings = { maxConcurrentStreams: Number(STREAMS) };
const secured = { key: KEY, cert: CERT };
const server = ONLY_HTTP1
  ? https.createServer(secured, (_, response) => response.end('old'))
  : KEY
    ? http2.createSecureServer({ ...secured, settings, allowHTTP1: SOCKETS !== undefined })
    : http2.createServer({ settings });

const seen = { requests: 0, sessions: 0, open: 0, peak: 0, resets: 0, refused: 0, last: {}, body: '' };
let cut = 0;
const refused = new Set();

const answer = (stream, body, status = 200, headers = {}) => {
  if (stream.destroyed) return; // the client has given up
  stream.respond({ ':status': status, ...headers });
  stream.end(body);
};

const routes = {
  '/now': (stream) => answer(stream, 'now'),
  '/delay': (stream, ms) => setTimeout(() => answer(stream, 'later'), Number(ms)),
  '/error': (stream, every) => answer(stream, '', seen.requests % Number(every) === 0 ? 500 : 200),
  '/reset': (stream) => stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR),
  '/hang': () => {},
  '/echo': (stream) => answer(stream, stream.content, 200, { 'content-type': stream.headers['content-type'] ?? 'none' }),
  '/login': (stream) => answer(stream, '', 200, { 'set-cookie': ['who=ada; Path=/', 'b=2'] }),
  '/cookie': (stream) => answer(stream, stream.headers.cookie ?? ''),
  '/hop': (stream, left) => {
    if (left === '0') answer(stream, 'there');
    else answer(stream, '', 302, { location: `/hop?${left - 1}` });
  },
  // Refuses each key once, and then accepts it.
  '/refuse': (stream, key) => {
    if (refused.has(key)) return answer(stream, 'accepted');
    refused.add(key);
    seen.refused += 1;
    stream.close(http2.constants.NGHTTP2_REFUSED_STREAM);
  },
  // A gRPC response without its status.
  '/grpc': (stream) => {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
    stream.end(Buffer.alloc(5));
  },
  // Every hundredth request closes its connection gracefully, after open requests have been answered.
  '/leave': (stream) => {
    if (seen.requests % 100 === 0) stream.session.close();
    answer(stream, 'goodbye');
  },
  // The third request aborts its connection.
  '/cut': (stream) => {
    cut += 1;
    if (cut === 3) stream.session.destroy();
    else answer(stream, 'still here');
  },
};

// Connections that sent a request.
const sessions = new WeakSet();
server.on('stream', (stream, headers) => {
  stream.on('error', () => {});
  const [path, query] = headers[':path'].split('?');
  if (path === '/socket.io/') return;
  if (path === '/seen') {
    answer(stream, JSON.stringify(seen));
    return;
  }
  if (!sessions.has(stream.session)) seen.sessions += 1;
  sessions.add(stream.session);
  seen.requests += 1;
  seen.open += 1;
  seen.peak = Math.max(seen.peak, seen.open);
  seen.last = headers;
  stream.headers = headers;
  stream.on('close', () => { seen.open -= 1; });
  stream.on('aborted', () => { seen.resets += 1; });
  const pieces = [];
  stream.on('data', (piece) => pieces.push(piece));
  stream.on('end', () => {
    stream.content = Buffer.concat(pieces);
    seen.body = `${stream.content}`;
    routes[path](stream, query);
  });
});
server.on('sessionError', () => {});
if (SOCKETS) {
  const { WebSocketServer } = await import('ws');
  const { Server } = await import('socket.io-4.8');
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    if (request.url !== '/sockets') return;
    sockets.handleUpgrade(request, socket, head, (one) => one.on('message', (message) => one.send(`${message}`)));
  });
  new Server(server).on('connection', (socket) => socket.on('say', (text, reply) => reply(text)));
}
server.listen(0, process.env.HOST ?? '127.0.0.1', () => console.log(`listening on port:${server.address().port}`));
