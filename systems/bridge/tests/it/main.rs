//! Tests of the bridge from outside: as a router, and as a process with real sockets.

#[cfg(test)]
mod agent;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod rooms;
#[cfg(test)]
mod routes;
#[cfg(test)]
mod served;
#[cfg(test)]
mod sessions;
#[cfg(test)]
mod slow;
#[cfg(test)]
mod stopping;
