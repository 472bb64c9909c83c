//! HTTP/1.1: requests are encoded into one buffer, responses parsed from whatever the socket gave.
//! One request at a time per connection: a pipelined answer has no service time of its own.

mod body;
mod chunked;
mod connection;
mod cookies;
mod date;
pub(crate) mod decode;
pub(crate) mod encoding;
pub(crate) mod grpc;
pub(crate) mod head;
mod headers;
mod parser;
mod quota;
mod redirect;
mod request;
mod response;

pub use body::{Body, Part};
pub use connection::Connection;
pub use cookies::CookieJar;
pub use grpc::GrpcError;
pub use headers::Headers;
pub use parser::Parser;
pub use quota::{Policy, Quota};
pub use redirect::follow;
pub use request::Request;
pub use response::Response;
