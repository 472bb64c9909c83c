//! Users who repeatedly request the page at `--host`. Goose's own arguments set everything else.

use goose::prelude::*;

async fn visit(user: &mut GooseUser) -> TransactionResult {
    user.get("/").await?;
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), GooseError> {
    let visitor = scenario!("visitor").register_transaction(transaction!(visit));
    GooseAttack::initialize()?.register_scenario(visitor).execute().await?;
    Ok(())
}
