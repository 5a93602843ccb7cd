import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["packages/*/test/**/*.test.ts", "examples/*/test/**/*.test.ts", "test/**/*.test.ts"],
    testTimeout: 30_000,
    // no module has state, so that files may share modules: loading Effect once per file took a third of a run
    isolate: false
  }
})
