// In a page, where there is no DuckDB.
export const readByDuckDB: typeof import("./by-duckdb.js").readByDuckDB = async () => undefined;
