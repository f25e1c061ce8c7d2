/** Background repair: finds differences between replicas, reconciles them, and purges dead entries. */
@NullMarked
package io.dht4j.core.internal.repair;

import org.jspecify.annotations.NullMarked;
