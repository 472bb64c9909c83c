//! The editor as a separate process, and third-party clients.

#[cfg(test)]
mod amounts;
#[cfg(test)]
mod client;
#[cfg(test)]
mod durable;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod memory;
#[cfg(test)]
mod nodes;
#[cfg(test)]
mod official;
#[cfg(test)]
mod origins;
#[cfg(test)]
mod postgres;
#[cfg(test)]
mod protocol;
#[cfg(test)]
mod routes;
#[cfg(test)]
mod running;
#[cfg(test)]
mod served;
#[cfg(test)]
mod start;
#[cfg(test)]
mod yjs;
