/** A value that a later stage of the start provides. Earlier stages pass on `get`, which is called once the service runs. */
export class Later<Value> {
  readonly #absence: string;
  #value: Value | null = null;

  /** The message of the error that `get` throws while there is no value. */
  constructor(absence: string) {
    this.#absence = absence;
  }

  readonly get = (): Value => {
    if (this.#value === null) throw new Error(this.#absence);
    return this.#value;
  };

  set(value: Value): void {
    this.#value = value;
  }
}
