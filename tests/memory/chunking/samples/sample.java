package org.example.shop;

import java.util.List;
import static org.example.Money.euros;

/** An order of a customer. */
@Entity
public class Order<T extends Item> extends Base {
    private final List<T> items;

    public Order(List<T> items) { this.items = items; }

    /** What it costs. */
    public Money total() { return euros(3); }

    private static class Line { int count; }
}

interface Priced { Money price(); }

enum State {
    OPEN { boolean isLast() { return false; } },
    SHIPPED;

    boolean isLast() { return true; }
}

record Address(String street, int number) {
    Address { if (number < 1) throw new IllegalArgumentException(); }
}

@interface Audited { String by(); }
