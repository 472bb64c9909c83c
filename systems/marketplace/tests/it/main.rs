//! The marketplace as a separate process. Every response is checked against the marketplace's own description. At the
//! end of each test, the ledger is checked against its invariants.

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
