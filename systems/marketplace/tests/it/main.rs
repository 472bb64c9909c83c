//! The marketplace as a process of its own. Every answer is held against its own description, and the
//! ledger of every marketplace against its invariants when the test is over.

#[cfg(test)]
mod accounts;
#[cfg(test)]
mod clock;
#[cfg(test)]
mod conformance;
#[cfg(test)]
mod crash;
#[cfg(test)]
mod description;
#[cfg(test)]
mod door;
#[cfg(test)]
mod hashing;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod keys;
#[cfg(test)]
mod money;
#[cfg(test)]
mod negotiation;
#[cfg(test)]
mod outside;
#[cfg(test)]
mod patience;
#[cfg(test)]
mod person;
#[cfg(test)]
mod postgres;
#[cfg(test)]
mod provider;
#[cfg(test)]
mod pushed;
#[cfg(test)]
mod races;
#[cfg(test)]
mod security;
#[cfg(test)]
mod served;
#[cfg(test)]
mod stub;
#[cfg(test)]
mod trade;
