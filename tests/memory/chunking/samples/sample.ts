import { Money } from './money';
import type { Item } from "@shop/item";

export interface Priced<T> { price(discount: T): Money }
export type Id = string | number;
export const enum State { Open, Shipped }

@Injectable()
export abstract class Order implements Priced<number> {
  private items: Item[] = [];
  abstract close(): void;
  price(discount: number): Money { return new Money(discount); }
  onClick = (): void => {};
}

export function parse(raw: string): Order;
export function parse(raw: any): Order { return raw; }

namespace Shop.Tools {
  export function round(n: number) { return n; }
}

declare module 'legacy' { export function old(): void; }
export const isOpen = (o: Order): boolean => true;
