// The example page in Chromium, from its built files and under its content security policy, with the agent on another
// origin. Pictures go to `.tmp/chat/`.
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as path from "node:path"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { serve } from "../../examples/chat/serve.ts"
import { root } from "../../scripts/workspace.ts"
import { executablePath, launch } from "./support/chromium.ts"

const pictures = path.join(root, ".tmp", "chat")
const example = "What is the capital of France?"

const scope = Scope.makeUnsafe()
let urls: { readonly page: string; readonly agent: string }
let browser: Browser

/** Opens the page in a new context, and collects its invisible faults. */
const open = async (options: BrowserContextOptions = {}) => {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const faults: Array<string> = []
  page.on("pageerror", (error) => faults.push(String(error)))
  page.on("request", (request) => {
    const { origin } = new URL(request.url())
    if (origin !== urls.page && origin !== urls.agent) faults.push(`request of ${request.url()}`)
  })
  page.on("console", (message) => {
    if (/Content Security Policy/i.test(message.text())) faults.push(message.text())
  })
  await page.goto(urls.page)
  await page.waitForSelector(".welcome")
  return { context, page, faults }
}

const ask = async (page: Page, question: string) => {
  await page.getByLabel("Your question").fill(question)
  await page.keyboard.press("Enter")
}

const last = ".turn:last-child"
const ended = (page: Page) => page.waitForSelector(`${last}:not(.running)`, { timeout: 25_000 })
const texts = (page: Page, selector: string) => page.locator(`${last} ${selector}`).allInnerTexts()

describe.skipIf(executablePath === undefined)("examples/chat", { concurrent: true, timeout: 60_000 }, () => {
  beforeAll(async () => {
    ;[urls, browser] = await Effect.runPromise(Scope.provide(Effect.all([serve(0), launch]), scope))
  }, 60_000)
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  for (const [name, viewport] of Object.entries({ phone: [390, 844], desktop: [1280, 800] } as const)) {
    for (const colorScheme of ["light", "dark"] as const) {
      it(`shows the answer, ${name}, ${colorScheme}`, async () => {
        const [width, height] = viewport
        const { context, faults, page } = await open({ viewport: { width, height }, colorScheme })
        await ask(page, example)
        await ended(page)
        assert.deepStrictEqual(await texts(page, ".text"), ["Paris is the capital of France."])
        assert.deepStrictEqual(await texts(page, ".tool .state"), ["done"])
        assert.deepStrictEqual(await texts(page, ".suggestion"), ["What is the population of Paris?"])
        assert.isFalse(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth))
        await page.screenshot({ path: path.join(pictures, `${name}-${colorScheme}.png`) })
        assert.deepStrictEqual(faults, [])
        await context.close()
      })
    }
  }

  it("talks both versions over both bindings, and as the card says", async () => {
    const { context, faults, page } = await open()
    for (const version of ["1.0", "0.3"]) {
      for (const binding of ["By card", "REST", "JSON-RPC"]) {
        await page.getByText(version, { exact: true }).click()
        await page.getByText(binding, { exact: true }).click()
        await page.getByRole("button", { name: "Connect" }).click()
        assert.include(await page.locator(".where").innerText(), `A2A ${version} · ${binding}`)
        await ask(page, example)
        await ended(page)
        assert.deepStrictEqual(await texts(page, ".text"), ["Paris is the capital of France."], `${version} ${binding}`)
      }
    }
    assert.strictEqual(await page.locator(".turn").count(), 6)
    assert.deepStrictEqual(faults, [])
    await context.close()
  })

  it("shows thoughts, tools and files, and text never as markup", async () => {
    const { context, faults, page } = await open()
    await ask(page, "<b>search</b>, tool error, file")
    await ended(page)
    assert.deepStrictEqual(await texts(page, ".thought"), ["What is meant by that?"])
    assert.deepStrictEqual(await texts(page, ".tool .state"), ["done", "failed"])
    assert.deepStrictEqual(await texts(page, ".text"), ["You asked: <b>search</b>, tool error, file"])
    assert.deepStrictEqual(await texts(page, ".files .name"), ["report.csv"])
    await page.locator(`${last} summary`).last().click()
    assert.include((await texts(page, ".tool pre")).join("\n"), "the page did not answer (TIMEOUT)")
    assert.deepStrictEqual(faults, [])
    await context.close()
  })

  it("cancels the task on Escape", async () => {
    const { context, page } = await open()
    await ask(page, "slow")
    await page.waitForSelector(`${last} .thought`)
    await page.keyboard.press("Escape")
    await ended(page)
    assert.deepStrictEqual(await texts(page, ".problem strong"), ["Canceled"])
    assert.deepStrictEqual(await texts(page, ".problem code"), ["TASK_STATE_CANCELED"])
    await context.close()
  })

  it("continues after a reload in the middle of an answer, without repeating text", async () => {
    const { context, faults, page } = await open()
    await ask(page, "slow search")
    await page.waitForSelector(`${last} .tool`)
    await page.reload()
    await page.waitForSelector(`${last}.running`)
    await ended(page)
    assert.deepStrictEqual(await texts(page, ".question"), ["slow search"])
    assert.deepStrictEqual(await texts(page, ".step.thought, .step.said"), [
      "What is meant by that?",
      "Let me look that up."
    ])
    assert.deepStrictEqual(await texts(page, ".tool .state"), ["done"])
    assert.deepStrictEqual(await texts(page, ".text"), ["You asked: slow search"])
    await ask(page, example)
    await ended(page)
    assert.deepStrictEqual(await texts(page, ".text"), ["Paris is the capital of France."])
    // in the same conversation
    const contexts: ReadonlyArray<unknown> = await page.evaluate(() =>
      JSON.parse(sessionStorage.getItem("a2a-chat")!).turns.map((turn: { contextId?: string }) => turn.contextId)
    )
    assert.strictEqual(contexts.length, 2)
    assert.isString(contexts[0])
    assert.strictEqual(contexts[0], contexts[1])
    assert.deepStrictEqual(faults, [])
    await context.close()
  })

  it("continues a reply to the agent's question after a reload, without what came before it", async () => {
    const { context, faults, page } = await open()
    await ask(page, "Ask me something")
    await ended(page)
    await page.reload()
    await page.waitForSelector(last)
    assert.deepStrictEqual(await texts(page, ".asks"), ["Which one do you mean?"])
    await ask(page, "slow search")
    await page.waitForSelector(`${last} .tool`)
    await page.reload()
    await page.waitForSelector(`${last}.running .tool`)
    await ended(page)
    assert.deepStrictEqual(await page.locator(".question").allInnerTexts(), ["Ask me something", "slow search"])
    assert.deepStrictEqual(await page.locator(".asks").allInnerTexts(), ["Which one do you mean?", ""])
    assert.deepStrictEqual(await texts(page, ".thought"), ["What is meant by that?"])
    assert.deepStrictEqual(await texts(page, ".tool .state"), ["done"])
    assert.deepStrictEqual(await texts(page, ".text"), ["You asked: slow search"])
    assert.deepStrictEqual(faults, [])
    await context.close()
  })

  it("continues after the network was lost in the middle of an answer", async () => {
    const { context, page } = await open()
    await ask(page, "slow search")
    await page.waitForSelector(`${last} .thought`)
    await context.setOffline(true)
    await page.waitForSelector(".network:not(:empty)")
    assert.match((await texts(page, ".progress"))[0]!, /^Offline/)
    await page.waitForTimeout(3000)
    await context.setOffline(false)
    await ended(page)
    assert.deepStrictEqual(await texts(page, ".text"), ["You asked: slow search"])
    assert.deepStrictEqual(await texts(page, ".tool .state"), ["done"])
    assert.deepStrictEqual(await texts(page, ".thought"), ["What is meant by that?"])
    await context.close()
  })

  it("explains a wrong key, an unreachable agent, and a question of the agent", async () => {
    const { context, page } = await open()
    await ask(page, "Ask me something")
    await ended(page)
    assert.deepStrictEqual(await texts(page, ".asks"), ["Which one do you mean?"])
    assert.deepStrictEqual(await texts(page, ".progress"), ["The agent waits for your reply."])
    await ask(page, "That one")
    await ended(page)
    assert.deepStrictEqual(await texts(page, ".text"), ["You asked: That one"])
    assert.deepStrictEqual(await texts(page, ".step.said"), [])

    await page.getByLabel("Key").fill("sk_invalid")
    await page.getByRole("button", { name: "Connect" }).click()
    await ask(page, example)
    await ended(page)
    assert.deepStrictEqual(await texts(page, ".problem code"), ["UNAUTHENTICATED"])
    assert.deepStrictEqual(await texts(page, ".problem button"), ["Open settings"])

    await page.getByLabel("Address of the agent").fill("http://127.0.0.1:9/a2a")
    await page.getByRole("button", { name: "Connect" }).click()
    await ask(page, example)
    await ended(page)
    assert.deepStrictEqual(await texts(page, ".problem strong"), ["The agent cannot be reached"])
    await context.close()
  })

  it("can be used by keyboard alone, with a visible focus", async () => {
    const { context, page } = await open({ viewport: { width: 390, height: 844 } })
    await page.keyboard.press("Tab")
    const reached: Array<string> = []
    for (let i = 0; i < 12; i++) {
      reached.push(
        await page.evaluate(() => {
          const { ariaLabel, textContent } = document.activeElement as HTMLElement
          return ariaLabel ?? document.activeElement?.getAttribute("aria-label") ?? textContent ?? ""
        })
      )
      if (reached.at(-1) === example) break
      await page.keyboard.press("Tab")
    }
    assert.include(reached, example)
    const outline = await page.evaluate(() => getComputedStyle(document.activeElement!).outlineStyle)
    assert.strictEqual(outline, "solid")
    await page.keyboard.press("Enter")
    await ended(page)
    assert.deepStrictEqual(await texts(page, ".text"), ["Paris is the capital of France."])
    // the focus is on the input again
    assert.strictEqual(await page.evaluate(() => document.activeElement?.tagName), "TEXTAREA")
    assert.strictEqual(await page.locator(`${last} .reply`).getAttribute("aria-live"), "polite")
    await context.close()
  })
})
