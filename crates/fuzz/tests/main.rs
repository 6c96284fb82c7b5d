//! All fuzz targets, in one binary.

mod capture_files;
mod captures;
mod engine;
mod estimators;
mod scenarios;
