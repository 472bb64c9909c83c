use super::grpc::GrpcError;
use super::headers::Headers;

/// A complete response. It has no timestamp: the caller that read its last bytes takes the time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// The status code, 100–999.
    pub status: u16,
    /// The head.
    pub headers: Headers,
    /// The body, with chunks joined and decompressed.
    pub body: Vec<u8>,
    /// Bytes of head and body as received, without the framing of chunks. An HTTP/2 head counts with its size after
    /// HPACK decompression.
    pub size: usize,
    /// The error, if the response ends a gRPC call that failed.
    pub grpc_error: Option<Box<GrpcError>>,
}
