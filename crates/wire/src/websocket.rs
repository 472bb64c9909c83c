//! WebSocket.
