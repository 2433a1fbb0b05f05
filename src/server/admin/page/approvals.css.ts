/** `/ui/approvals.css`. */
export const APPROVALS_STYLE = `:root {
  color-scheme: light dark;
  font: 16px/1.5 system-ui, sans-serif;
}
[hidden] {
  display: none !important;
}
body {
  max-width: 50rem;
  margin: 0 auto;
  padding: 1rem;
}
header,
nav {
  display: flex;
  flex-wrap: wrap;
  gap: 0.75rem;
  align-items: center;
}
header {
  justify-content: space-between;
}
input,
button {
  font: inherit;
  padding: 0.4rem 0.8rem;
}
form {
  display: flex;
  flex-wrap: wrap;
  gap: 0.75rem;
  align-items: center;
}
form input {
  flex: 1 1 14rem;
}
article {
  border: 1px solid;
  border-radius: 0.4rem;
  margin: 1rem 0;
  padding: 0 1rem 1rem;
}
dl {
  display: grid;
  grid-template-columns: minmax(6rem, max-content) 1fr;
  gap: 0.25rem 1rem;
}
dt {
  font-weight: 600;
}
dd {
  margin: 0;
  overflow-wrap: anywhere;
  white-space: pre-wrap;
}
.parameters {
  font-family: ui-monospace, monospace;
}
`;
