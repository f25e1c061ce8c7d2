/** Hinted handoff: keeps the writes that a replica missed, and delivers them when it answers again. */
@NullMarked
package io.dht4j.core.internal.handoff;

import org.jspecify.annotations.NullMarked;
