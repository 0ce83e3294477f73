import React, { useState } from 'react';
export * from './money.js';
const fs = require('fs');

const LIMIT = 10;

/** Adds what is in the basket. */
export async function total(basket) {
  return basket.reduce((a, b) => a + b, 0);
}

export const Basket = ({ items }) => {
  return <ul>{items.map(i => <li key={i}>{i}</li>)}</ul>;
};

export default class Order extends Base {
  static count = 0;
  #secret() {}
  constructor(items) { super(); }
  get size() { return 0; }
  onClick = () => { this.size; };
}

function* numbers() { yield 1; }

exports.close = function () {};
Order.prototype.open = function open() {};
