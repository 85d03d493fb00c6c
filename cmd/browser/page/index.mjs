// likc in the browser and in node: exact densities of decision models, their simulators, and the No-U-Turn sampler, as WebAssembly.
//
//   import { load } from "likc"
//   const likc = await load()
//   const fit = likc.fit("ddm", { rt, choice }, { seed: 1 })
//
// a is HALF the separation of the boundaries, z is relative, the noise is 1, and times are in seconds.
import "./wasm_exec.js"

/**
 * Starts the program.
 * @param {ArrayBuffer|Uint8Array|string|URL} [program] likc.wasm or its address; the file beside this module by default
 * @returns {Promise<Likc>}
 */
export async function load(program = new URL("likc.wasm", import.meta.url)) {
  const go = new globalThis.Go()
  const { instance } = await WebAssembly.instantiate(await bytes(program), go.importObject)
  go.run(instance)
  return new Likc(globalThis.likcCall)
}

async function bytes(program) {
  if (program instanceof ArrayBuffer || ArrayBuffer.isView(program)) return program
  const address = new URL(program, import.meta.url)
  if (address.protocol === "file:" && typeof process !== "undefined") {
    const { readFile } = await import("node:fs/promises")
    return readFile(address)
  }
  const answer = await fetch(address)
  if (!answer.ok) throw new Error(`likc: ${address}: ${answer.status} ${answer.statusText}`)
  return answer.arrayBuffer()
}

/** The functions of the program. Each throws an Error with one line if it cannot do what it was asked. */
export class Likc {
  #call
  constructor(call) { this.#call = call }

  #ask(name, args, watch) {
    const reply = JSON.parse(this.#call(name, JSON.stringify(args), watch && ((text) => watch(JSON.parse(text)))))
    if (reply.error) throw new Error(reply.error)
    return reply.value
  }

  // theta in the order of the model's parameters. The program says what is wrong with an array, and that there is no such model.
  #inOrder(model, theta) {
    const of = this.models().find((m) => m.name === model)
    if (Array.isArray(theta) || ArrayBuffer.isView(theta) || !of) return Array.from(theta)
    const names = of.params.map((p) => p.name)
    for (const name of Object.keys(theta)) if (!names.includes(name)) throw new Error(`likc: theta: ${model} has no parameter ${name}, but ${names.join(", ")}`)
    for (const name of names) if (typeof theta[name] !== "number") throw new Error(`likc: theta: ${name} of ${model} is missing`)
    return names.map((name) => theta[name])
  }

  /** The models: name, process, choices, params (name, lower, upper, meaning) and the example of an ordinary participant's parameters. */
  models() { return this.#ask("models", {}) }

  /** The log-likelihood of trials at theta, numbers in the order of the parameters or an object with their names, and its gradient: { value, gradient }; value is null where it is not finite. */
  logLik(model, theta, { rt, choice }) { return this.#ask("logLik", { model, theta: this.#inOrder(model, theta), rt: Array.from(rt), choice: Array.from(choice ?? []) }) }

  /** n simulated trials: { rt, choice }. The same seed gives the same trials. */
  simulate(model, theta, n, seed = 1) { return this.#ask("simulate", { model, theta: this.#inOrder(model, theta), trials: n, seed }) }

  /**
   * Draws from the posterior of a participant's parameters, with uniform priors over their ranges.
   * @param {string} model
   * @param {{rt: number[], choice?: number[]}} data response times in seconds, and choices as the model codes them
   * @param {{chains?: number, warmup?: number, draws?: number, seed?: number, times?: number[], watch?: function}} [settings]
   *   watch gets { chain, iteration, total, warmup, theta } after every fifth transition; times are those of the predicted density
   * @returns {{estimates: object[], draws: number[][][], problems: string[], gradients: number, predicted: number[][]}}
   */
  fit(model, { rt, choice }, { watch, ...settings } = {}) {
    return this.#ask("fit", { model, rt: Array.from(rt), choice: Array.from(choice ?? []), ...settings }, watch)
  }
}
