import sys
sys.path.insert(0,'/tmp/w/cfg/tests/encodings')
from traced import *
import traceback
for g in [{"model_type":"nemotron","head_dim":128,"num_key_value_heads":8},
 {"model_type":"dots1","n_routed_experts":8,"n_shared_experts":1,"num_experts_per_tok":2,"moe_intermediate_size":64,"first_k_dense_replace":1,"n_group":1,"topk_group":1},
 {"model_type":"moonshine"},{"model_type":"hunyuan_vl_text","head_dim":128,"vocab_size":100},
 {"model_type":"cohere_compass_text","rope_parameters":{"full_attention":{"rope_type":"default","rope_theta":1e4}}},
 {"model_type":"qwen4_exp_text"},{"model_type":"dbrx"},{"model_type":"t5gemma2_text","dropout_rate":0.0},{"model_type":"qwen3_omni_moe_talker_text","hidden_size":2048,"num_attention_heads":16},{"model_type":"jetmoe"},{"model_type":"chameleon"},{"model_type":"glm5_next_text","qk_rope_head_dim":64,"num_hidden_layers":5}]:
    try:
        c,l=traced(g); print(g['model_type'],len(l),[(len(a[0]),a[0][-1],round(a[1],3)) for x in l for a in x][:4],[bool(x) for x in l][:8])
    except Exception as e:
        print(g['model_type'],'ERR',repr(e)[:160]); print(''.join(traceback.format_exc().split('\n')[-6:-2])[:300])
