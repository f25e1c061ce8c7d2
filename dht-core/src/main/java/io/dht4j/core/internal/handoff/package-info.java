/** Hinted handoff: writes that a replica missed are kept, and handed over when it answers again. */
@NullMarked
package io.dht4j.core.internal.handoff;

import org.jspecify.annotations.NullMarked;
