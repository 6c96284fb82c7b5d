//! All fuzz targets, in one binary.

mod captures;
mod engine;
mod estimators;
mod scenarios;
