/** The contracts of stores and hint logs, a store in memory that tests compare with, and one that forwards. */
@NullMarked
package io.dht4j.testkit.store;

import org.jspecify.annotations.NullMarked;
