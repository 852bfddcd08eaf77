// Styles are imported for their effect alone.
declare module '*.css';

// The address of a worker's script.
declare module '*?worker&url' {
  const address: string;
  // biome-ignore lint/style/noDefaultExport: this is how Vite exports it.
  export default address;
}
