/** Background repair: finds where replicas differ, brings them together, and lets what is dead go. */
@NullMarked
package io.dht4j.core.internal.repair;

import org.jspecify.annotations.NullMarked;
