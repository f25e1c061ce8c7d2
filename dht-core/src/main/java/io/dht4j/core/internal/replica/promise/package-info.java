/** A replica of registers: what it has promised to proposers, and how it serves them. */
@NullMarked
package io.dht4j.core.internal.replica.promise;

import org.jspecify.annotations.NullMarked;
