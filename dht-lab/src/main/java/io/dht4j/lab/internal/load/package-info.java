/** Loads: their description, their results, and what they call. */
@NullMarked
package io.dht4j.lab.internal.load;

import org.jspecify.annotations.NullMarked;
