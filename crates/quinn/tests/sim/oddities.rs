//! Two oddities of quinn-proto 0.11.19 that show in a network only.
