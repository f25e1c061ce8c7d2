/** Hash functions for keys. */
@NullMarked
package io.dht4j.core.internal.hash;

import org.jspecify.annotations.NullMarked;
