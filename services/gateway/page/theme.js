// Dark or light: as the system is, until somebody chooses. It runs before the page is drawn.
const KEY = 'taskgraph-theme';
const chosen = localStorage.getItem(KEY);
const isDark = chosen === null ? matchMedia('(prefers-color-scheme: dark)').matches : chosen === 'dark';
// Swagger UI goes by this class too.
document.documentElement.classList.toggle('dark-mode', isDark);

addEventListener('DOMContentLoaded', () => {
  const button = document.querySelector('#theme');
  const label = () => {
    button.textContent = document.documentElement.classList.contains('dark-mode') ? 'Light' : 'Dark';
  };
  label();
  button.addEventListener('click', () => {
    const dark = document.documentElement.classList.toggle('dark-mode');
    localStorage.setItem(KEY, dark ? 'dark' : 'light');
    label();
  });
});
