// Node's own HTTP/2 server. Argument: streams allowed at a time. A key and a certificate (PEM, in `KEY` and `CERT`)
// make it a TLS server. It prints its port, and ends with its standard input.
import http2 from 'node:http2';
import zlib from 'node:zlib';

const settings = { maxConcurrentStreams: Number(process.argv[2] ?? 100) };
const { KEY, CERT } = process.env;
const server = KEY
  ? http2.createSecureServer({ key: KEY, cert: CERT, settings })
  : http2.createServer({ settings });

let open = 0;
let peak = 0;
let held = [];

const answer = (stream, body, headers = {}) => {
  stream.respond({ ':status': 200, ...headers });
  stream.end(body);
};

const routes = {
  // Answers what was held last, then itself.
  '/release': (stream) => {
    answer(held.pop(), 'held');
    answer(stream, 'released');
  },
  '/headers': (stream, headers) => answer(stream, JSON.stringify(headers), { 'set-cookie': ['a=1', 'b=2'] }),
  '/big': (stream) => answer(stream, Buffer.alloc(Number(stream.query), 'x')),
  '/gzip': (stream) => answer(stream, zlib.gzipSync('the same '.repeat(1000)), { 'content-encoding': 'gzip' }),
  '/length': (stream) => answer(stream, 'x'.repeat(1000), { 'content-length': 1000 }),
  '/none': (stream) => { stream.respond({ ':status': 204 }, { endStream: true }); },
  '/interim': (stream) => { stream.additionalHeaders({ ':status': 103, link: '</a>' }); answer(stream, 'at last'); },
  '/trailers': (stream) => {
    stream.respond({ ':status': 200 }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ digest: 'x' }));
    stream.end('before the trailers');
  },
  '/echo': (stream) => {
    const pieces = [];
    stream.on('data', (piece) => pieces.push(piece));
    stream.on('end', () => answer(stream, Buffer.concat(pieces)));
  },
  '/unread': (stream) => answer(stream, 'did not look'),
  '/slow': (stream) => setTimeout(() => answer(stream, String(peak)), 20),
  '/hold': (stream) => held.push(stream),
  '/reset': (stream) => stream.close(http2.constants.NGHTTP2_ENHANCE_YOUR_CALM),
  // Leaves once what is open is answered, which happens only then.
  '/leave': (stream) => {
    stream.session.close();
    for (const one of held) answer(one, 'held until the goodbye');
    held = [];
    answer(stream, 'goodbye');
  },
};

server.on('stream', (stream, headers) => {
  open += 1;
  peak = Math.max(peak, open);
  stream.on('close', () => { open -= 1; });
  stream.on('error', () => {});
  const [path, query] = headers[':path'].split('?');
  stream.query = query;
  (routes[path] ?? ((one) => answer(one, `no ${path}`, { ':status': 404 })))(stream, headers);
});
server.on('sessionError', () => {});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.on('end', () => process.exit(0)).resume();
