package io.dht4j.transport.common.options;

import io.dht4j.Ranges;

/** Checks a budget of bytes, which has to hold at least one frame or value. */
final class Budgets {

    private Budgets() {}

    /**
     * Refuses a budget that is out of its range, or smaller than one item.
     *
     * @param option the budget's name
     * @param bytes the budget
     * @param least the smallest budget for any item
     * @param most the largest budget
     * @param itemOption the name of the option that bounds an item
     * @param itemBytes the largest item
     * @throws IllegalArgumentException if the budget is refused; the message names both options
     */
    static void require(String option, long bytes, long least, long most, String itemOption, long itemBytes) {
        Ranges.require(option, bytes, least, most);
        if (bytes < itemBytes) {
            throw new IllegalArgumentException(
                    option + " must be at least " + itemOption + ", which is " + itemBytes + ", not " + bytes);
        }
    }
}
