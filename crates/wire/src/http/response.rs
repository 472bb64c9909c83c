use super::grpc::GrpcError;
use super::headers::Headers;

/// A whole response. Whoever read its last bytes from the socket knows when it came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// Three digits, 100–999.
    pub status: u16,
    /// The head.
    pub headers: Headers,
    /// The body: chunks joined, compression undone.
    pub body: Vec<u8>,
    /// Bytes of head and body as they came, without the framing of chunks; an HTTP/2 head counts as it reads unpacked.
    pub size: usize,
    /// Why it is no success, where it ends a gRPC call.
    pub grpc_error: Option<Box<GrpcError>>,
}
