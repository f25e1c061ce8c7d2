/** The state of atomic keys, and how changes turn one state into the next. Pure: no time, no threads, no I/O. */
@NullMarked
package io.dht4j.core.internal.atomic;

import org.jspecify.annotations.NullMarked;
