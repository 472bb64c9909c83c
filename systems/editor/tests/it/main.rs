//! The editor as a process of its own, and clients that others wrote.

#[cfg(test)]
mod official;
#[cfg(test)]
mod served;
