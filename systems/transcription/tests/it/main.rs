//! Tests of the transcription service from outside, as a process with real sockets.

#[cfg(test)]
mod audio;
#[cfg(test)]
mod engines;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod memory;
#[cfg(test)]
mod nodes;
#[cfg(test)]
mod pace;
#[cfg(test)]
mod protocol;
#[cfg(test)]
mod python;
#[cfg(test)]
mod routes;
#[cfg(test)]
mod served;
#[cfg(test)]
mod slow;
#[cfg(test)]
mod stopping;
#[cfg(test)]
mod words;
