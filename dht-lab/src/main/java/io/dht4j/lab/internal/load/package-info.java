/** Loads: their description, their results, and their clients. */
@NullMarked
package io.dht4j.lab.internal.load;

import org.jspecify.annotations.NullMarked;
