//! Users who ask for the page of `--host` again and again. Everything else is said by Goose's own arguments.

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
