//! The scenario in the object store: sent once, and checked by its hash.

use async_nats::jetstream::object_store::ObjectStore;
use engine::Shipment;
use sha2::{Digest as _, Sha256};
use tokio::io::AsyncReadExt as _;

use crate::error::FleetError;
use crate::protocol::{decode, encode};

/// Stores a scenario, unless it is there already. Returns its hash.
pub(crate) async fn store(
    bundles: &ObjectStore,
    shipment: &Shipment,
) -> Result<String, FleetError> {
    let cannot = || FleetError::nats("store the scenario");
    let content = encode(shipment).map_err(cannot())?;
    let name = hash(&content);
    let is_there = bundles
        .info(&name)
        .await
        .is_ok_and(|info| info.size == content.len());
    if !is_there {
        let mut reader: &[u8] = &content;
        let put = bundles.put(name.as_str(), &mut reader).await;
        put.map_err(|why| cannot()(why.to_string()))?;
    }
    Ok(name)
}

/// Reads a scenario and compares it with its hash.
pub(crate) async fn load(bundles: &ObjectStore, name: &str) -> Result<Shipment, String> {
    let mut content = Vec::new();
    let mut object = bundles.get(name).await.map_err(|why| why.to_string())?;
    let read = object.read_to_end(&mut content).await;
    read.map_err(|why| why.to_string())?;
    if hash(&content) != name {
        return Err(
            "the scenario in the object store is not the one that was announced".to_owned(),
        );
    }
    decode(&content)
}

fn hash(content: &[u8]) -> String {
    format!("{:x}", Sha256::digest(content))
}
