/** The one part of undici that the HTTP transport needs; the package describes the types of its entry alone. */
declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici';
  // biome-ignore lint/style/noDefaultExport: it is how the file exports its class
  export default Pool;
}
